"""In-memory bitmaps of the assets of an organization, for lists, trees and counts. They never decide."""
