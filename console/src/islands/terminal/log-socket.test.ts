import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followLog } from './log-socket';

const JOB = '11111111-1111-4111-8111-111111111111';

class FakeSocket extends EventTarget {
  sent: unknown[] = [];
  isClosed = false;

  constructor(readonly url: string) {
    super();
  }

  open(): void {
    this.dispatchEvent(new Event('open'));
  }

  say(message: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  }

  break(code: number): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code }));
  }

  send(data: string): void {
    this.sent.push(JSON.parse(data));
  }

  close(): void {
    this.isClosed = true;
  }
}

function following() {
  const sockets: FakeSocket[] = [];
  const texts: string[] = [];
  const states: string[] = [];
  const stop = followLog(
    JOB,
    { text: (text) => texts.push(text), state: (state) => states.push(state) },
    (url) => {
      const socket = new FakeSocket(url);
      sockets.push(socket);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stand-in with the parts that are used
      return socket as unknown as WebSocket;
    },
  );
  return { sockets, texts, states, stop };
}

describe('the log of a job', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('waits for a worker without showing dots, then shows the text to its end', () => {
    const { sockets, texts, states } = following();
    const [socket] = sockets;
    socket?.open();
    expect(socket?.sent).toEqual([{ task: JOB, offset: 0 }]);
    socket?.say({ message: '.', task: JOB, offset: 0 });
    socket?.say({ message: '.', task: JOB, offset: 0 });
    socket?.say({ message: '\r\n', task: JOB, offset: 0 });
    socket?.say({ message: 'first\r\n', task: JOB, offset: 6 });
    socket?.say({ message: 'second\r\n', task: JOB, offset: 13 });
    socket?.say({ task: JOB, end: true });
    expect(texts).toEqual(['first\r\n', 'second\r\n']);
    expect(states).toEqual(['waiting', 'waiting', 'waiting', 'live', 'live', 'ended']);
    expect(socket?.isClosed).toBe(true);
    socket?.break(1000);
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(1);
  });

  it('goes on where it was after a broken connection', () => {
    const { sockets, texts, states } = following();
    sockets[0]?.open();
    sockets[0]?.say({ message: 'first\r\n', task: JOB, offset: 6 });
    sockets[0]?.break(1006);
    expect(states.at(-1)).toBe('lost');
    vi.advanceTimersByTime(1_000);
    sockets[1]?.break(1013);
    vi.advanceTimersByTime(2_000);
    sockets[2]?.open();
    expect(sockets[2]?.sent).toEqual([{ task: JOB, offset: 6 }]);
    sockets[2]?.say({ message: 'second\r\n', task: JOB, offset: 13 });
    expect(texts).toEqual(['first\r\n', 'second\r\n']);
  });

  it.each([4401, 4404])('stops when the log may not be read (%i)', (code) => {
    const { sockets, states } = following();
    sockets[0]?.break(code);
    vi.advanceTimersByTime(60_000);
    expect(states).toEqual(['refused']);
    expect(sockets).toHaveLength(1);
  });

  it('ignores what is no message, and everything after it was stopped', () => {
    const { sockets, texts, stop } = following();
    sockets[0]?.dispatchEvent(new MessageEvent('message', { data: 'no json' }));
    sockets[0]?.dispatchEvent(new MessageEvent('message', { data: '4' }));
    sockets[0]?.say({ message: 7, offset: 1 });
    stop();
    sockets[0]?.say({ message: 'late', task: JOB, offset: 4 });
    sockets[0]?.break(1006);
    vi.advanceTimersByTime(60_000);
    expect(texts).toEqual([]);
    expect(sockets).toHaveLength(1);
  });
});
