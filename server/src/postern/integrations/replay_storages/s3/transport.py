"""How botocore sends. It asks its `before-send` handlers first, and takes the answer that one of them gives. So nothing of
its own connections, proxies and certificates is used. Redirects are not followed.
"""

from typing import Any, Final

import urllib3
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectionClosedError, ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError

from postern.integrations.replay_storages.connections import CONNECT_S, READ_S, Connections, host_of
from postern.integrations.web_apis import failures

_FIRST_ERROR: Final = 300


class Transport(Connections):
    """Sends the requests of one client."""

    def send(self, request: Any, **_: object) -> AWSResponse:
        """The `before-send` handler. Raises WebApiFailed, and the errors of botocore that it retries."""
        self.require_time(request.url)
        try:
            answer = self.pools.urlopen(
                request.method,
                request.url,
                body=request.body,
                headers=dict(request.headers.items()),
                timeout=urllib3.Timeout(connect=CONNECT_S, read=READ_S),
                preload_content=False,
                decode_content=False,
                redirect=False,
                retries=False,
                assert_same_host=False,
            )
            response = AWSResponse(request.url, answer.status, answer.headers, answer)
            if not request.stream_output or answer.status >= _FIRST_ERROR:
                # Read now, which returns the connection to the pool. botocore would read it without a limit.
                response._content = self.whole(answer, request.url)  # noqa: SLF001 - where `content` keeps it
        except urllib3.exceptions.SSLError as error:
            raise failures.tls(host_of(request.url), error.__cause__ or error.args[0]) from error
        except urllib3.exceptions.NewConnectionError as error:
            raise EndpointConnectionError(endpoint_url=request.url, error=error) from error
        except urllib3.exceptions.ConnectTimeoutError as error:
            raise ConnectTimeoutError(endpoint_url=request.url, error=error) from error
        except urllib3.exceptions.ReadTimeoutError as error:
            raise ReadTimeoutError(endpoint_url=request.url, error=error) from error
        except (urllib3.exceptions.HTTPError, OSError) as error:
            self.require_time(request.url)
            raise ConnectionClosedError(endpoint_url=request.url, request=request, error=error) from error
        return response
