import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveConnection, type ConnectionListener } from './connection';

class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  binaryType = 'blob';
  readyState = 0;
  sent: (string | Uint8Array)[] = [];

  constructor(readonly url: string) {
    super();
  }

  accept(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
  }

  say(message: Record<string, unknown>): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  }

  output(text: string): void {
    this.dispatchEvent(new MessageEvent('message', { data: new TextEncoder().encode(text).buffer }));
  }

  break(): void {
    this.readyState = 3;
    this.dispatchEvent(new Event('close'));
  }

  send(data: string | Uint8Array): void {
    this.sent.push(data);
  }

  close(): void {
    this.readyState = 3;
  }

  messages(): Record<string, unknown>[] {
    return this.sent
      .filter((frame) => typeof frame === 'string')
      .map((frame) => JSON.parse(frame) as Record<string, unknown>);
  }
}

const OPENED = {
  type: 'opened',
  session_id: '11111111-1111-4111-8111-111111111111',
  resume_secret: 'first',
  asset: 'web-1',
  system_user: 'root',
  login_name: 'root',
  actions: 255,
  recorded: true,
  host_key: 'SHA256:x',
  idle_timeout_s: 1800,
  input_until: 100_000,
};

describe('live connection', () => {
  let sockets: FakeSocket[];
  let listener: { [Name in keyof ConnectionListener]: ReturnType<typeof vi.fn> };
  let waiting: (() => void)[];
  let connection: LiveConnection;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('WebSocket', FakeSocket);
    sockets = [];
    waiting = [];
    listener = {
      output: vi.fn<(data: unknown, drawn: () => void) => void>((_data, drawn) => void waiting.push(drawn)),
      screen: vi.fn<() => void>(),
      resized: vi.fn<() => void>(),
      status: vi.fn<() => void>(),
      opened: vi.fn<() => void>(),
      watching: vi.fn<() => void>(),
      prompt: vi.fn<() => void>(),
      notice: vi.fn<() => void>(),
      ended: vi.fn<() => void>(),
      latency: vi.fn<() => void>(),
      pasting: vi.fn<() => void>(),
    };
    connection = new LiveConnection({
      path: '/ws/proxy/t/',
      first: { type: 'open', token: 'secret-token', columns: 100, rows: 30 },
      listener: listener as unknown as ConnectionListener,
      createSocket: (url) => {
        const socket = new FakeSocket(url);
        sockets.push(socket);
        return socket as unknown as WebSocket;
      },
    });
    connection.connect();
  });

  afterEach(() => {
    connection.dispose();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const last = (): FakeSocket => sockets.at(-1) as FakeSocket;
  const pieces = (): Uint8Array[] => last().sent.filter((frame) => typeof frame !== 'string');
  const lengths = (): number[] => pieces().map((piece) => piece.length);
  const sentText = (): string =>
    pieces()
      .map((piece) => new TextDecoder().decode(piece))
      .join('');

  function openSession(): void {
    last().accept();
    last().say(OPENED);
  }

  it('sends the token in the first frame and never in the address', () => {
    last().accept();
    expect(last().url).not.toContain('secret-token');
    expect(last().messages()[0]).toEqual({
      type: 'open',
      token: 'secret-token',
      columns: 100,
      rows: 30,
      counts_input: true,
    });
  });

  it('opens a session of the file manager, which is resumed without a screen', () => {
    connection.dispose();
    const filesOpened = vi.fn<(session: object) => void>();
    connection = new LiveConnection({
      path: '/ws/proxy/t/',
      first: { type: 'open_files', token: 'secret-token' },
      listener: { ...listener, filesOpened } as unknown as ConnectionListener,
      createSocket: (url) => {
        const socket = new FakeSocket(url);
        sockets.push(socket);
        return socket as unknown as WebSocket;
      },
    });
    connection.connect();
    last().accept();
    expect(last().messages()).toEqual([{ type: 'open_files', token: 'secret-token' }]);
    const { recorded: _, input_until: __, ...opened } = OPENED;
    last().say({ ...opened, type: 'files_opened' });
    expect(filesOpened).toHaveBeenCalledWith(expect.objectContaining({ login_name: 'root' }));
    expect(listener.status).toHaveBeenLastCalledWith('open', '');
    // Nothing has a size.
    expect(last().messages()).toHaveLength(1);
    last().break();
    vi.advanceTimersByTime(300);
    last().accept();
    expect(last().messages()[0]).toMatchObject({ type: 'resume', resume_secret: 'first', received: 0 });
  });

  it('names the gateways that are being passed while it connects', () => {
    last().accept();
    last().say({ type: 'state', state: 'connecting', via: 'edge → inner' });
    expect(listener.status).toHaveBeenLastCalledWith('connecting', 'connecting', 'edge → inner');
    last().say({ type: 'state', state: 'authenticating', via: '' });
    expect(listener.status).toHaveBeenLastCalledWith('connecting', 'authenticating', '');
  });

  it('acknowledges output only after it was drawn', () => {
    openSession();
    last().output('hello');
    expect(
      last()
        .messages()
        .some((message) => message['type'] === 'ack'),
    ).toBe(false);
    waiting.shift()?.();
    expect(last().messages().at(-1)).toEqual({ type: 'ack', received: 5 });
  });

  it('resumes a lost session at the number of bytes received', () => {
    openSession();
    last().output('abc');
    last().break();
    expect(listener.status).toHaveBeenLastCalledWith('reconnecting', '');
    vi.advanceTimersByTime(300);
    expect(sockets).toHaveLength(2);
    last().accept();
    expect(last().messages()[0]).toMatchObject({
      type: 'resume',
      resume_secret: 'first',
      received: 3,
    });
    last().say({
      type: 'resumed',
      session_id: OPENED.session_id,
      resume_secret: 'second',
      offset: 3,
    });
    expect(listener.status).toHaveBeenLastCalledWith('open', '');
    last().break();
    vi.advanceTimersByTime(300);
    last().accept();
    expect(last().messages()[0]).toMatchObject({ resume_secret: 'second' });
  });

  it('does not count a screen picture as output', () => {
    openSession();
    last().say({ type: 'screen', columns: 80, rows: 24, offset: 1000 });
    last().output('PICTURE');
    last().output('xy');
    waiting.pop()?.();
    expect(last().messages().at(-1)).toEqual({ type: 'ack', received: 1002 });
  });

  it('gives up after the proxy has given up, and says so', () => {
    openSession();
    last().break();
    for (let second = 0; second < 90; second += 1) {
      vi.advanceTimersByTime(1000);
      if (last().readyState === 0) last().break();
    }
    expect(listener.ended).toHaveBeenCalledWith({
      reason: 'connection_lost',
      message: '',
      exitStatus: null,
    });
    const tries = sockets.length;
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(tries);
  });

  it('does not reconnect after the end of the session', () => {
    openSession();
    last().say({
      type: 'ended',
      reason: 'terminated',
      message: 'stopped by admin',
      exit_status: null,
    });
    last().break();
    vi.advanceTimersByTime(10_000);
    expect(sockets).toHaveLength(1);
    expect(listener.ended).toHaveBeenCalledExactlyOnceWith({
      reason: 'terminated',
      message: 'stopped by admin',
      exitStatus: null,
    });
  });

  it('sends nothing that was typed while disconnected', () => {
    openSession();
    last().break();
    connection.send('rm -rf /\r');
    vi.advanceTimersByTime(300);
    last().accept();
    last().say({
      type: 'resumed',
      session_id: OPENED.session_id,
      resume_secret: 'second',
      offset: 0,
    });
    expect(last().sent.some((frame) => typeof frame !== 'string')).toBe(false);
  });

  it("sends a large paste as far as the proxy's credit allows, and acknowledges output in between", () => {
    openSession();
    connection.send('x'.repeat(120_000));
    expect(lengths()).toEqual([32_768, 32_768, 32_768, 1_696]);
    last().output('echo');
    waiting.shift()?.();
    expect(last().messages().at(-1)).toEqual({ type: 'ack', received: 4 });
    last().say({ type: 'input_credit', taken: 15_000, until: 115_000 });
    expect(lengths().slice(4)).toEqual([15_000]);
    last().say({ type: 'input_credit', taken: 60_000, until: 160_000 });
    expect(lengths().slice(5)).toEqual([5_000]);
  });

  it('reports how much of a large paste is left, and that nothing is left after an interrupt', () => {
    openSession();
    connection.send('ls');
    expect(listener.pasting).not.toHaveBeenCalled();
    connection.send('x'.repeat(300_000));
    expect(listener.pasting).toHaveBeenLastCalledWith(262_144);
    last().say({ type: 'input_credit', taken: 100_000, until: 200_000 });
    expect(listener.pasting).toHaveBeenLastCalledWith(131_072);
    connection.send('\u0003');
    expect(listener.pasting).toHaveBeenLastCalledWith(0);
    expect(listener.pasting).toHaveBeenCalledTimes(3);
  });

  it('after a reconnect, continues a paste at the byte that has arrived', () => {
    openSession();
    const text = Array.from({ length: 20_000 }, (_, index) => `${index} `.padStart(8)).join('');
    connection.send(text);
    last().say({ type: 'input_credit', taken: 50_000, until: 150_000 });
    const before = sentText().slice(0, 70_000);
    last().break();
    connection.send('typed while away');
    vi.advanceTimersByTime(300);
    last().accept();
    connection.send('typed before the answer');
    expect(lengths()).toEqual([]);
    expect(last().messages()[0]).toMatchObject({ type: 'resume', counts_input: true });
    last().say({
      type: 'resumed',
      session_id: OPENED.session_id,
      resume_secret: 'second',
      offset: 0,
      input_received: 70_000,
      input_until: 200_000,
    });
    connection.send('!');
    expect(before + sentText()).toBe(`${text}!`);
  });

  it('sends everything at once to a proxy that does not count input', () => {
    last().accept();
    last().say({ ...OPENED, input_until: undefined });
    connection.send('x'.repeat(200_000));
    expect(sentText()).toHaveLength(200_000);
    last().break();
    vi.advanceTimersByTime(300);
    last().accept();
    last().say({ type: 'resumed', session_id: OPENED.session_id, resume_secret: 'second', offset: 0 });
    connection.send('y');
    expect(sentText()).toBe('y');
  });

  it('passes on notices of the proxy and changes of the permitted actions', () => {
    openSession();
    last().say({ type: 'notice', code: 'actions', message: 'no uploads any more', actions: 253 });
    expect(listener.notice).toHaveBeenCalledWith('actions', 'no uploads any more', 253);
  });

  it('detects a dead connection by its silence', () => {
    openSession();
    vi.advanceTimersByTime(21_000);
    expect(listener.status).toHaveBeenLastCalledWith('reconnecting', '');
  });

  it('passes a prompt on and sends the answer', () => {
    last().accept();
    last().say({ type: 'prompt', prompt_id: 1, text: 'Password', echo: false });
    expect(listener.prompt).toHaveBeenCalledWith({ id: 1, text: 'Password', echo: false });
    connection.answer(1, 's3cret');
    expect(last().messages().at(-1)).toEqual({ type: 'answer', prompt_id: 1, value: 's3cret' });
  });
});
