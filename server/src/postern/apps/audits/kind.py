"""What a kind of event is; `catalogue` has all of them."""

from enum import StrEnum
from typing import Self

from postern.apps.audits.categories import Category, in_language


class Kind(StrEnum):
    """A member is made of its code, its category, its English and its Chinese words."""

    category: Category
    english: str
    chinese: str

    def __new__(cls, code: str, category: Category, english: str, chinese: str) -> Self:
        member = str.__new__(cls, code)
        member._value_ = code
        member.category, member.english, member.chinese = category, english, chinese
        return member

    @property
    def words(self) -> str:
        """The kind in the language of the request."""
        return in_language(self.english, self.chinese)
