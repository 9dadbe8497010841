"""What is said about a file that is not taken, for each slug of the reading child. Never a path, a stack or a line of ours (K23)."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _

TEXTS: Final = {
    "empty": _("The file is empty."),
    "no_rows": _("The file has a header, but no row with a value in a known column."),
    "no_known_column": _(
        "No column of the file is known here. The first row must hold the titles of the template that can be downloaded."
    ),
    "twice": _('The column "%(title)s" is there twice, or under two names.'),
    "rows": _("The file has more than %(most)s rows. Split it."),
    "columns": _("The file has more than %(most)s columns."),
    "too_many_cells": _("Row %(line)s has more cells than the first row has titles."),
    "cell_too_long": _("A cell is too long."),
    "quotes": _("Line %(line)s can not be read as csv: a quotation mark is not closed, or stands in the wrong place."),
    "encoding": _("The encoding of the file is unknown. Save it as UTF-8."),
    "nul": _("The file contains NUL bytes, so it is no text. Save it as UTF-8."),
    "binary": _("The file is no text. Choose a csv or xlsx file."),
    "not_csv": _("This is a spreadsheet and no csv file. Its name must end in .xlsx."),
    "not_xlsx": _("This is no xlsx file. A csv file must have a name that ends in .csv."),
    "old_excel": _("This is a file of an old Excel. Save it as xlsx."),
    "password": _("The file is protected by a password. Save it without one."),
    "damaged": _("The file is damaged or incomplete."),
    "no_sheet": _("The file has no visible sheet."),
    "macros": _("The file has macros, or links to other files. Save it as xlsx without them."),
    "entities": _("The file declares XML entities, which no spreadsheet program does."),
    "bomb": _("The file becomes too large when it is unpacked."),
    "too_much": _("Reading the file needs too much memory or time. Split it."),
    "too_large": _("The file is larger than %(most)s MB."),
}


def text_of(slug: str, values: Mapping[str, int | str]) -> str:
    """The sentence in the person's language."""
    return str(TEXTS[slug]) % dict(values)
