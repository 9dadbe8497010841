"""The categories of audit events."""

from enum import StrEnum
from typing import Self

from django.utils.translation import get_language


def in_language(english: str, chinese: str) -> str:
    """The words in the language of the request."""
    return chinese if (get_language() or "").startswith("zh") else english


class Category(StrEnum):
    """The first filter of an auditor. Each kind belongs to exactly one category."""

    english: str
    chinese: str

    def __new__(cls, code: str, english: str, chinese: str) -> Self:
        member = str.__new__(cls, code)
        member._value_ = code
        member.english, member.chinese = english, chinese
        return member

    PERMISSIONS = "permissions", "Grants and roles", "授权与权限"
    CREDENTIALS = "credentials", "Credentials", "凭据"
    VIEWING = "viewing", "Evidence viewed", "录像与证据被查看"
    EXPORTS = "exports", "Exports", "导出"
    REFUSALS = "refusals", "Failed and refused", "失败与拒绝"
    SIGN_IN = "sign_in", "Sign-in", "登录"
    PEOPLE = "people", "People", "用户"
    INVENTORY = "inventory", "Assets", "资产"
    SESSIONS = "sessions", "Sessions", "会话"
    EVIDENCE = "evidence", "Evidence kept", "证据留存"
    JOBS = "jobs", "Jobs", "作业"
    SETTINGS = "settings", "Settings and components", "设置与组件"
    MESSAGES = "messages", "Messages", "消息"

    @property
    def words(self) -> str:
        """The category in the language of the request."""
        return in_language(self.english, self.chinese)


def category_with(code: str) -> Category | None:
    """The category with this code, or None."""
    return next((category for category in Category if category.value == code), None)
