"""Figures across apps: the dashboard."""
