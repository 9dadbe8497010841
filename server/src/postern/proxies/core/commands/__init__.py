"""Command detection: which lines a person gave to programs on the target."""

from postern.proxies.core.commands.detected import DetectedCommand
from postern.proxies.core.commands.detector import CommandDetector

__all__ = ["CommandDetector", "DetectedCommand"]
