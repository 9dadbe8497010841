"""Routes of the app: the public API below /api/v1/, and the internal API for proxies."""

from postern.apps.sessions.commands import api as commands
from postern.apps.sessions.confirmations import api as confirmations
from postern.apps.sessions.entered_credentials import api as entered_credentials
from postern.apps.sessions.filter_trials import api as filter_trials
from postern.apps.sessions.first_run import api as first_run
from postern.apps.sessions.forwards import api as forwards
from postern.apps.sessions.heartbeats import api as heartbeats
from postern.apps.sessions.recordings import api as recordings
from postern.apps.sessions.remote_apps import api as remote_apps
from postern.apps.sessions.reports import api as reports
from postern.apps.sessions.retention import api as retention
from postern.apps.sessions.search import api as search
from postern.apps.sessions.sessions.api import urls as sessions
from postern.apps.sessions.storages.api import urls as storages
from postern.apps.sessions.terminals.api import urls as terminals
from postern.apps.sessions.transfers import api as transfers
from postern.apps.sessions.viewings import api as viewings
from postern.apps.sessions.visitors import api as visitors

urlpatterns = [
    *terminals.urlpatterns,
    *sessions.urlpatterns,
    *commands.urlpatterns,
    *recordings.urlpatterns,
    *storages.urlpatterns,  # after the routes of other folders below them
    *transfers.urlpatterns,
    *forwards.urlpatterns,
    *viewings.urlpatterns,
    *first_run.urlpatterns,
    *filter_trials.urlpatterns,
    *entered_credentials.urlpatterns,
    *remote_apps.urlpatterns,
    *search.urlpatterns,
    *retention.urlpatterns,
]

page_urlpatterns = [
    *visitors.internal_urlpatterns,
    *sessions.internal_urlpatterns,
    *confirmations.internal_urlpatterns,
    *reports.internal_urlpatterns,
    *terminals.internal_urlpatterns,
    *heartbeats.internal_urlpatterns,
    *recordings.internal_urlpatterns,
]
