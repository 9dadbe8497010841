"""Command detection: finds the command lines that a user enters on the target."""

from postern.proxies.core.commands.detected import DetectedCommand
from postern.proxies.core.commands.detector import CommandDetector

__all__ = ["CommandDetector", "DetectedCommand"]
