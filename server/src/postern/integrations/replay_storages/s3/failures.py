"""Why a bucket could not be used: what the codes of the service mean."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.integrations.replay_storages.failures import CLOCK, FULL, SERVICE, BucketMissing, StorageFailed

KEY: Final = Phrase(
    "storage.key_refused", _("%(host)s does not accept the access key or the secret key. Enter both again.")
)
DENIED: Final = Phrase(
    "storage.denied",
    _(
        "%(host)s refuses this to the access key (%(code)s). It needs the rights to list the bucket %(bucket)s and its "
        "unfinished uploads, and to read, write and delete its objects."
    ),
)
BUCKET: Final = Phrase("storage.no_bucket", _("There is no bucket %(bucket)s at %(host)s. Create it there first."))
REGION: Final = Phrase(
    "storage.region",
    _("The bucket %(bucket)s is in another region (%(code)s). Enter the endpoint of its region%(region)s."),
)
MALFORMED: Final = Phrase(
    "storage.malformed",
    _("%(host)s does not answer as a service with the S3 protocol does. Check the endpoint of the storage."),
)

_KEY_CODES: Final = frozenset({"InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "401", "AuthFailure"})
_DENIED_CODES: Final = frozenset({"AccessDenied", "AllAccessDisabled", "AccountProblem", "403"})
_CLOCK_CODES: Final = frozenset({"RequestTimeTooSkewed", "RequestExpired"})
_REGION_CODES: Final = frozenset(
    {"PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"}
    | {"301", "302", "307", "308"}
)
_FULL_CODES: Final = frozenset({"QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "507"})


def of_answer(code: str, status: int, *, host: str, bucket: str, region: str = "") -> StorageFailed:
    """The failure of an answer with this error code."""
    code = code or str(status)
    if code == "NoSuchBucket":
        return BucketMissing(BUCKET.say(bucket=bucket, host=host))
    if code in _CLOCK_CODES:
        return StorageFailed(CLOCK.say(host=host))
    if code in _KEY_CODES:
        return StorageFailed(KEY.say(host=host))
    if code in _REGION_CODES or 300 <= status < 400:
        shown = f" ({region})" if region else ""
        return StorageFailed(REGION.say(bucket=bucket, code=code[:64], region=shown))
    if code in _DENIED_CODES:
        return StorageFailed(DENIED.say(host=host, code=code[:64], bucket=bucket))
    if code in _FULL_CODES:
        return StorageFailed(FULL.say(host=host, code=code[:64]))
    return StorageFailed(SERVICE.say(host=host, code=code[:64], status=status))
