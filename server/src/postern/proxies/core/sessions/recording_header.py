"""The header of a recording."""

from postern.contracts.access import SessionGrant
from postern.contracts.recording.events import EVENTS_VERSION
from postern.contracts.recording.format import Content
from postern.contracts.recording.streams import STREAMS_VERSION
from postern.kernel.clock import now
from postern.proxies.core.recording import RecordingHeader


def header_of(grant: SessionGrant, columns: int, rows: int, content: Content | None = None) -> RecordingHeader:
    """Build the recording header of this session. A size of 0 means that there is no terminal.

    `content` is set for recordings of neither a terminal nor a program. Their texts are UTF-8.
    """
    return RecordingHeader(
        session_id=grant.session_id,
        started_at=now(),
        columns=columns,
        rows=rows,
        user=f"{grant.user.name}({grant.user.username})",
        asset=grant.asset_name,
        system_user=grant.system_user_name,
        login_name=grant.login_name,
        protocol=grant.protocol.value,
        remote_addr=grant.remote_addr,
        org_id=str(grant.org_id),
        charset="gb18030" if grant.charset == "gbk" and content is None else "utf-8",
        record_input=grant.recording.record_input,
        streams=0 if columns else STREAMS_VERSION,
        content=content or (Content.TERMINAL if columns else Content.PROGRAM),
        events=EVENTS_VERSION,
    )
