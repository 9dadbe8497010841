"""Writes of webhooks and of syslog."""

from writes.case import ROOT, Again, Told, Write, created, deleted, updated
from writes.world import World

API = "/api/v1/notifications/webhooks/"
_ADDRESS = "https://198.51.100.7/hook"
_MASK = "******"
_METADATA = "https://169.254.169.254/hook"

WRITES = [
    Write(
        method="POST",
        path=API,
        body={"name": "siem", "address": _ADDRESS, "audit_categories": ["refusals"]},
        status=201,
        shown_once=["secret"],
        told=[created("Webhook", "siem", {"name": "siem", "address": _ADDRESS, "secret": _MASK}, org=ROOT)],
        again=Again.GONE,
    ),
    *(
        Write(
            method=method,
            path=f"{API}<pk>/",
            at={"pk": "{webhook}"},
            body={"name": "hook", "address": _ADDRESS, "is_active": False},
            told=[updated("Webhook", "hook", {"is_active": True}, {"is_active": False}, org=ROOT)],
            prepare=World.with_webhook,
        )
        for method in ("PUT", "PATCH")
    ),
    *(
        Write(
            method=method,
            path=API,
            body=[{"id": "{webhook}", "name": "hook", "address": _ADDRESS, "is_active": False}],
            told=[updated("Webhook", "hook", {"is_active": True}, {"is_active": False}, org=ROOT)],
            prepare=World.with_webhook,
        )
        for method in ("PUT", "PATCH")
    ),
    Write(
        method="DELETE",
        path=f"{API}<pk>/",
        at={"pk": "{webhook}"},
        status=204,
        told=[deleted("Webhook", "hook", {"name": "hook", "address": _ADDRESS}, org=ROOT)],
        again=Again.GONE,
        prepare=World.with_webhook,
    ),
    Write(
        method="DELETE",
        path=API,
        query="ids={webhook}",
        status=204,
        told=[deleted("Webhook", "hook", {"name": "hook", "address": _ADDRESS}, org=ROOT)],
        prepare=World.with_webhook,
    ),
    Write(
        method="POST",
        path=f"{API}<pk>/secret/",
        at={"pk": "{webhook}"},
        shown_once=["secret"],
        told=[
            Told(
                event="webhook.secret_replaced",
                action="update",
                kind="Webhook",
                name="hook",
                old={"secret": _MASK},
                new={"secret": _MASK},
                org=ROOT,
            )
        ],
        again=Again.ACTS,
        prepare=World.with_webhook,
    ),
    # A test that reaches nobody: the address is never dialled.
    Write(
        method="POST",
        path=f"{API}testing/",
        body={"address": _METADATA},
        status=400,
        told=[
            Told(
                event="webhook.tested",
                action="other",
                kind="Webhook",
                name=_METADATA,
                new={"accepted": False, "reason": "dialling.metadata"},
                org=ROOT,
            )
        ],
        again=Again.ACTS,
    ),
    # A receiver that is never dialled.
    Write(
        method="POST",
        path="/api/v1/settings/syslog/testing/",
        body={"SYSLOG_HOST": "169.254.169.254", "SYSLOG_PORT": 6514},
        status=400,
        told=[
            Told(
                event="settings.syslog_tested",
                action="other",
                kind="PreferenceValue",
                name="syslog",
                new={"SYSLOG_HOST": "169.254.169.254", "accepted": False, "reason": "dialling.metadata"},
                org=ROOT,
            )
        ],
        again=Again.ACTS,
    ),
    Write(
        method="POST",
        path="/api/v1/notifications/webhook-deliveries/<pk>/retry/",
        at={"pk": "{webhook_delivery}"},
        prepare=World.with_failed_webhook_delivery,
        told=[
            updated(
                "WebhookDelivery",
                "audit.sign_in.failed",
                {"state": "failed"},
                {"webhook": "hook", "state": "waiting"},
                event="webhook.delivery_retried",
                org=ROOT,
            )
        ],
        again=Again.GONE,
    ),
]
