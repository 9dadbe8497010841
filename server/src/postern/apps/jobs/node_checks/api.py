"""`POST assets/nodes/check_assets_amount_task/`: start the check of the tree (contract: assets, nodes)."""

from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.jobs.engine import actions
from postern.apps.jobs.engine.kinds import NoArgument
from postern.apps.jobs.engine.starting import STARTED
from postern.apps.jobs.node_checks.job import CHECK_NODES
from postern.foundation.caller.scope import writable
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.views import PosternView


class NodeCheckView(PosternView):
    """Starts the check, or joins the open check."""

    rights = {"POST": CHECK_NODES.right}
    answers = {"post": Answer(schema=STARTED)}

    def post(self, request: Request) -> Response:
        job = actions.accept(
            actor=self.actor, org_id=writable(self.scope), kind=CHECK_NODES.name, argument=NoArgument()
        )
        return Response({"task": str(job.pk)})
