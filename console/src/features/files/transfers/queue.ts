import { explain } from '#/lib/http/catalogue';
import { HttpError, NoAnswerError } from '#/lib/http/errors';
import type { Name } from '../contract';
import { inFolder, numbered } from '../file-paths';
import { problemCode } from '../files-api';
import { Speedometer } from './speed';
import { allTransfers, changeTransfer, transferOf, useTransfers } from './store';
import { type Conflict, isMoving, type Transfer } from './transfer';
import { upload, type UploadPort } from './upload';

/** What the queue needs of a session: `FilesApi`. */
export interface QueuePort extends UploadPort {
  name(text: string): Promise<Name>;
  makeFolder(path: string, keep: boolean): Promise<unknown>;
  dropUpload(id: string): Promise<unknown>;
}

/** A file or an empty folder of this computer; `folders` are those that it lies in. */
export interface LocalItem {
  readonly folders: readonly string[];
  readonly file: File | null;
}

export interface QueueOptions {
  /** Null when the session is not open. */
  readonly portOf: (sessionId: string) => QueuePort | null;
  /** Nothing more moves to a folder for now: its files have ended, or wait for a person. */
  readonly onSettled: (sessionId: string, folder: string) => void;
  /** Waits before another try; injected by tests. */
  readonly pause?: (ms: number) => Promise<void>;
}

const AT_ONCE = 2;
/** Pauses before another try, in ms; together longer than a lost connection is waited for. */
const TRY_AGAIN_AFTER = [1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 15_000] as const;
/** Another name is looked for up to this number. */
const MOST_COPIES = 99;
/** The session has ended, or its proxy is gone. */
const CUT_OFF: ReadonlySet<string | null> = new Set(['session_over', 'no_session', 'host_gone']);

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Without an answer, with an answer of the web server alone, too slow, or too many at once: it may work later. */
function isPassing(error: unknown): boolean {
  if (error instanceof NoAnswerError) return true;
  if (!(error instanceof HttpError)) return false;
  return (
    error.status === 408 ||
    error.code === 'too_many' ||
    (error.status >= 502 && error.status <= 504 && error.code !== 'host_gone')
  );
}

let made = 0;

/** Uploads in the order in which they were added, two at once. Their state is in `useTransfers`. */
export class UploadQueue {
  readonly #options: QueueOptions;
  readonly #running = new Map<string, AbortController>();
  /** Answers for a whole batch. */
  readonly #answers = new Map<string, Conflict>();
  /** Folders that exist, by session and local path; each is made once. */
  readonly #folders = new Map<string, Promise<string>>();

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  add(
    session: { readonly id: string; readonly host: string },
    folder: string,
    items: readonly LocalItem[],
  ): void {
    made += 1;
    const batch = `batch${made}`;
    const added = items.flatMap(({ folders, file }): Transfer[] => {
      if (file === null) {
        void this.#makeEmpty(session.id, folder, folders);
        return [];
      }
      made += 1;
      const begun = {
        state: 'waiting',
        sent: 0,
        speed: 0,
        error: null,
        isCutOff: false,
        answer: null,
      } as const;
      const place = { batch, sessionId: session.id, host: session.host, folder, folders, file };
      return [{ id: `transfer${made}`, ...place, ...begun, uploadId: null, sha256: '' }];
    });
    useTransfers.setState(({ transfers }) => ({ transfers: [...transfers, ...added] }));
    this.#next();
  }

  pause(id: string): void {
    const transfer = transferOf(id);
    if (transfer?.state !== 'waiting' && transfer?.state !== 'running') return;
    changeTransfer(id, { state: 'paused', speed: 0 });
    this.#stop(id);
  }

  /** Continues what is paused, and tries again what has failed. */
  resume(id: string): void {
    const state = transferOf(id)?.state;
    if (state !== 'paused' && state !== 'failed') return;
    changeTransfer(id, { state: 'waiting', error: null, isCutOff: false });
    this.#next();
  }

  /** A session is open again: what its end has cut off continues. */
  resumeSession(sessionId: string): void {
    for (const transfer of allTransfers())
      if (transfer.sessionId === sessionId && transfer.state === 'failed' && transfer.isCutOff)
        this.resume(transfer.id);
  }

  /** Takes a file from the list; what the host has of an unfinished one is removed. */
  cancel(id: string): void {
    const transfer = transferOf(id);
    if (!transfer) return;
    useTransfers.setState(({ transfers }) => ({ transfers: transfers.filter((other) => other.id !== id) }));
    this.#stop(id);
    if (transfer.uploadId !== null && transfer.state !== 'done')
      // A part that cannot be removed now is found again by the next upload of this file.
      this.#options
        .portOf(transfer.sessionId)
        ?.dropUpload(transfer.uploadId)
        .catch(() => undefined);
    this.#settle(transfer);
  }

  answer(id: string, answer: Conflict, forAll: boolean): void {
    const asked = transferOf(id);
    if (!asked) return;
    if (forAll) this.#answers.set(asked.batch, answer);
    for (const transfer of allTransfers()) {
      const isMeant = transfer.id === id || (forAll && transfer.batch === asked.batch);
      if (!isMeant || transfer.state !== 'asking') continue;
      changeTransfer(transfer.id, { answer, state: answer === 'skip' ? 'skipped' : 'waiting' });
      if (answer === 'skip') this.#settle(transfer);
    }
    this.#next();
  }

  clearDone(): void {
    useTransfers.setState(({ transfers }) => ({
      transfers: transfers.filter(({ state }) => state !== 'done' && state !== 'skipped'),
    }));
  }

  /** The page is left. */
  stopAll(): void {
    useTransfers.setState({ transfers: [] });
    for (const id of this.#running.keys()) this.#stop(id);
    this.#folders.clear();
    this.#answers.clear();
  }

  #next(): void {
    for (const { id, state } of allTransfers()) {
      if (this.#running.size >= AT_ONCE) return;
      if (state === 'waiting' && !this.#running.has(id)) void this.#run(id);
    }
  }

  #stop(id: string): void {
    this.#running.get(id)?.abort();
    this.#running.delete(id);
    this.#next();
  }

  async #run(id: string): Promise<void> {
    const control = new AbortController();
    this.#running.set(id, control);
    changeTransfer(id, { state: 'running', speed: 0 });
    try {
      const sha256 = await this.#untilItPasses(id, control.signal);
      if (!control.signal.aborted) changeTransfer(id, { state: 'done', sha256, uploadId: null });
    } catch (error) {
      if (!control.signal.aborted) this.#failed(id, error);
    }
    if (this.#running.get(id) === control) this.#running.delete(id);
    const ended = transferOf(id);
    if (ended && !control.signal.aborted) this.#settle(ended);
    this.#next();
  }

  async #untilItPasses(id: string, signal: AbortSignal): Promise<string> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#send(id, signal);
      } catch (error) {
        const ms = TRY_AGAIN_AFTER[tries];
        if (signal.aborted || ms === undefined || !isPassing(error)) throw error;
        await (this.#options.pause ?? wait)(ms);
        if (signal.aborted) throw error;
      }
    }
  }

  /** Returns the hash that the proxy has calculated. */
  async #send(id: string, signal: AbortSignal): Promise<string> {
    const transfer = transferOf(id);
    const port = transfer && this.#options.portOf(transfer.sessionId);
    if (!transfer || !port) throw new SessionIsOver();
    const { file, sessionId } = transfer;
    const known = await this.#finished(port, transfer, signal);
    if (known !== null) return known;
    const folder = await this.#makeFolders(port, sessionId, transfer.folder, transfer.folders);
    const speedometer = new Speedometer();
    for (let copy = 1; ; copy += 1) {
      const name = await port.name(copy === 1 ? file.name : numbered(file.name, copy));
      try {
        const end = await upload(port, file, {
          path: inFolder(folder, name),
          replace: this.#answerOf(transfer) === 'replace',
          signal,
          onBegun: (uploadId) => changeTransfer(id, { uploadId }),
          onProgress: (sent) => {
            const speed = speedometer.measure(sent);
            if (!signal.aborted && (speed !== null || sent === file.size))
              changeTransfer(id, { sent, ...(speed !== null && { speed }) });
          },
        });
        return end.sha256;
      } catch (error) {
        const isTaken = problemCode(error) === 'exists';
        if (!isTaken || this.#answerOf(transfer) !== 'keep_both' || copy >= MOST_COPIES) throw error;
      }
    }
  }

  /** The hash of a file that the proxy has whole already: the answer to its end was lost. Null if it has not. */
  async #finished(port: QueuePort, transfer: Transfer, signal: AbortSignal): Promise<string | null> {
    const { uploadId, sent, file } = transfer;
    if (uploadId === null || sent < file.size) return null;
    try {
      return (await port.finishUpload(uploadId, this.#answerOf(transfer) === 'replace', signal)).sha256;
    } catch (error) {
      if (isPassing(error)) throw error;
      return null;
    }
  }

  #answerOf({ answer, batch }: Transfer): Conflict | null {
    return answer ?? this.#answers.get(batch) ?? null;
  }

  #failed(id: string, error: unknown): void {
    const transfer = transferOf(id);
    if (!transfer) return;
    const isTaken = problemCode(error) === 'exists';
    if (isTaken && this.#answerOf(transfer) === 'skip') changeTransfer(id, { state: 'skipped', speed: 0 });
    else if (isTaken && this.#answerOf(transfer) === null) changeTransfer(id, { state: 'asking', speed: 0 });
    else {
      const isCutOff = error instanceof SessionIsOver || CUT_OFF.has(problemCode(error) ?? '');
      const words = error instanceof SessionIsOver ? null : explain(error);
      changeTransfer(id, { state: 'failed', speed: 0, error: words, isCutOff });
    }
  }

  #settle({ sessionId, folder }: Transfer): void {
    const isLeft = allTransfers().some(
      (other) => other.sessionId === sessionId && other.folder === folder && isMoving(other),
    );
    if (!isLeft) this.#options.onSettled(sessionId, folder);
  }

  async #makeEmpty(sessionId: string, folder: string, folders: readonly string[]): Promise<void> {
    const port = this.#options.portOf(sessionId);
    if (!port) return;
    // A folder that cannot be made shows as missing; files in it would say why.
    await this.#makeFolders(port, sessionId, folder, folders).catch(() => undefined);
    this.#options.onSettled(sessionId, folder);
  }

  /** Makes the folders below each other, and returns the path of the last. */
  #makeFolders(
    port: QueuePort,
    sessionId: string,
    folder: string,
    folders: readonly string[],
  ): Promise<string> {
    const last = folders.at(-1);
    if (last === undefined) return Promise.resolve(folder);
    const key = JSON.stringify([sessionId, folder, folders]);
    const known = this.#folders.get(key);
    if (known) return known;
    const make = async (): Promise<string> => {
      const parent = await this.#makeFolders(port, sessionId, folder, folders.slice(0, -1));
      const path = inFolder(parent, await port.name(last));
      await port.makeFolder(path, true);
      return path;
    };
    const path = make();
    this.#folders.set(key, path);
    // Another file of this folder tries again.
    path.catch(() => this.#folders.delete(key));
    return path;
  }
}

/** The session is not open, so nothing can be sent. */
class SessionIsOver extends Error {}
