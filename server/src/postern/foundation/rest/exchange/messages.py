"""Messages for refused files, one for each problem slug of the child process. They have no path and no stack trace."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _

TEXTS: Final = {
    "empty": _("The file is empty."),
    "no_rows": _("The file has a header, but no row with a value in a known column."),
    "no_known_column": _(
        "The file has no known column. The first row must contain the titles of the template that you can download."
    ),
    "twice": _('The column "%(title)s" occurs twice, possibly under two names. Remove one of them.'),
    "rows": _("The file has more than %(most)s rows. Split it."),
    "columns": _("The file has more than %(most)s columns."),
    "too_many_cells": _("Row %(line)s has more cells than the first row has titles."),
    "cell_too_long": _("A cell is too long. Shorten its text."),
    "quotes": _("Line %(line)s is not valid csv: a quotation mark is not closed, or is in the wrong place."),
    "encoding": _("The encoding of the file is unknown. Save it as UTF-8."),
    "nul": _("The file contains NUL bytes, so it is not a text file. Save it as UTF-8."),
    "binary": _("The file is not a text file. Choose a csv or xlsx file."),
    "not_csv": _("This is a spreadsheet, not a csv file. Rename it so that its name ends in .xlsx."),
    "not_xlsx": _("This is not an xlsx file. If it is a csv file, rename it so that its name ends in .csv."),
    "old_excel": _("This file has the format of an old Excel version. Save it as xlsx."),
    "password": _("The file is protected by a password. Save it without one."),
    "damaged": _("The file is damaged or incomplete."),
    "no_sheet": _("The file has no visible sheet."),
    "macros": _("The file has macros, or links to other files. Save it as xlsx without them."),
    "entities": _(
        "The file declares XML entities, which no spreadsheet program does. Save it again with a spreadsheet program."
    ),
    "bomb": _("The file is too large when unpacked. Split it."),
    "too_much": _("Reading the file needs too much memory or time. Split it."),
    "too_large": _("The file is larger than %(most)s MB."),
}


def text_of(slug: str, values: Mapping[str, int | str]) -> str:
    """The message in the user's language."""
    return str(TEXTS[slug]) % dict(values)
