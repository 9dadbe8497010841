/** Where the log of a job is followed (contract: ops, logs). */
const PATH = '/ws/ops/tasks/log/';
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 15_000;
/** Close codes of the server after which another attempt is of no use. */
const SIGNED_OUT = 4401;
const NOT_FOUND = 4404;

export interface LogListener {
  /** More of the log. */
  readonly text: (text: string) => void;
  /** `waiting`: no worker has begun. `lost`: the connection is being made again. */
  readonly state: (state: 'waiting' | 'live' | 'lost' | 'ended' | 'refused') => void;
}

interface Message {
  readonly message?: unknown;
  readonly offset?: unknown;
  readonly end?: unknown;
}

function messageOf(data: unknown): Message | null {
  if (typeof data !== 'string') return null;
  try {
    const message: unknown = JSON.parse(data);
    return typeof message === 'object' ? message : null;
  } catch {
    return null;
  }
}

/**
 * Follows the log of a job to its end. A broken connection goes on where it was, so that no line is missing or shown
 * twice. Returns a function that stops it.
 */
export function followLog(
  job: string,
  listener: LogListener,
  createSocket: (url: string) => WebSocket = (url) => new WebSocket(url),
): () => void {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let offset = 0;
  let failures = 0;
  let isOver = false;

  const end = (state: 'ended' | 'refused') => {
    isOver = true;
    listener.state(state);
    socket?.close();
  };
  const take = ({ message, offset: next, end: isEnd }: Message) => {
    failures = 0;
    if (isEnd === true) {
      end('ended');
      return;
    }
    if (typeof message !== 'string' || typeof next !== 'number') return;
    // Dots and the line break behind them only say that the job waits: they are not part of the log.
    if (next === offset) {
      if (offset === 0) listener.state('waiting');
      return;
    }
    offset = next;
    listener.state('live');
    listener.text(message);
  };
  const connect = () => {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const opened = createSocket(`${scheme}://${location.host}${PATH}`);
    socket = opened;
    opened.addEventListener('open', () => opened.send(JSON.stringify({ task: job, offset })));
    opened.addEventListener('message', (event: MessageEvent<unknown>) => {
      const message = messageOf(event.data);
      if (message !== null && !isOver) take(message);
    });
    opened.addEventListener('close', ({ code }) => {
      if (isOver) return;
      if (code === SIGNED_OUT || code === NOT_FOUND) {
        end('refused');
        return;
      }
      failures += 1;
      listener.state('lost');
      timer = setTimeout(connect, Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1)));
    });
  };
  connect();
  return () => {
    isOver = true;
    clearTimeout(timer);
    socket?.close();
  };
}
