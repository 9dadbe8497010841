"""Bitmaps of the assets of an organization, kept in memory for lists, trees and counts. They never decide."""
