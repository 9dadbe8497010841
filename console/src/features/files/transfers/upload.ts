import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { problemCode } from '../files-api';
import { CHECKED_TAIL_BYTES, type BeginUpload, type UploadEnd, type UploadState } from '../contract';
import { HttpError } from '#/lib/http/errors';

/** The operations of an upload: those of `FilesApi`. */
export interface UploadPort {
  beginUpload(body: BeginUpload, signal: AbortSignal): Promise<UploadState>;
  putSlice(
    id: string,
    offset: number,
    slice: Blob,
    onSent: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<UploadState>;
  finishUpload(id: string, replace: boolean, signal: AbortSignal): Promise<UploadEnd>;
}

export interface UploadOptions {
  readonly path: string;
  readonly replace: boolean;
  readonly signal: AbortSignal;
  readonly onBegun: (id: string) => void;
  /** Bytes of the file that the proxy has, or that are on their way. */
  readonly onProgress: (bytes: number) => void;
}

/** More refusals of the offset in a row mean that the two sides will not agree. */
const MOST_WRONG_OFFSETS = 3;

/** Whether what the proxy has of this file is the beginning of it. Size alone proves nothing. */
async function isBeginningOf(file: File, { offset, tail_sha256: tail = '' }: UploadState): Promise<boolean> {
  if (offset === 0) return true;
  if (offset > file.size || tail === '') return false;
  const last = file.slice(Math.max(0, offset - CHECKED_TAIL_BYTES), offset);
  // Browsers offer their own hash on secure addresses only; this is little to calculate.
  return bytesToHex(sha256(new Uint8Array(await last.arrayBuffer()))) === tail;
}

/** The offset that a refused slice should have had; null when the failure is another one. */
function rightOffset(error: unknown): number | null {
  if (problemCode(error) !== 'wrong_offset' || !(error instanceof HttpError)) return null;
  const { offset } = error.body as { readonly offset?: number | null };
  return offset ?? null;
}

async function begin(port: UploadPort, file: File, options: UploadOptions): Promise<UploadState> {
  const { path, replace, signal } = options;
  const body = { path, size: file.size, modified: Math.floor(file.lastModified / 1000), replace };
  const state = await port.beginUpload({ ...body, fresh: false }, signal);
  if (await isBeginningOf(file, state)) return state;
  return port.beginUpload({ ...body, fresh: true }, signal);
}

/**
 * Sends a file in slices, in order, from where an earlier try stopped. Throws what the port throws: `exists` before
 * anything is sent, or when somebody else made the file meanwhile.
 */
export async function upload(port: UploadPort, file: File, options: UploadOptions): Promise<UploadEnd> {
  const { signal, onProgress } = options;
  let { id, offset, slice_bytes: sliceBytes } = await begin(port, file, options);
  options.onBegun(id);
  onProgress(offset);
  let wrong = 0;
  while (offset < file.size) {
    const start = offset;
    try {
      const slice = file.slice(start, start + sliceBytes);
      ({ offset } = await port.putSlice(id, start, slice, (bytes) => onProgress(start + bytes), signal));
      wrong = 0;
    } catch (error) {
      const right = rightOffset(error);
      wrong += 1;
      if (right === null || right > file.size || wrong > MOST_WRONG_OFFSETS) throw error;
      offset = right;
    }
    onProgress(offset);
  }
  return port.finishUpload(id, options.replace, signal);
}
