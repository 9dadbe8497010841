import { openRequest, type RequestOptions } from './client';

export interface ReceivedFile {
  readonly content: Blob;
  /** File name from the server; null when it sent none. */
  readonly name: string | null;
}

/** File name of a Content-Disposition header; the encoded form takes precedence over the plain one. */
export function fileNameOf(disposition: string | null): string | null {
  if (disposition === null) return null;
  const encoded = /filename\*=(?:utf-8)?'[^']*'([^;]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded.trim());
    } catch {
      // Wrongly encoded: falls back to the plain name, if any.
    }
  }
  const plain = /filename="([^"]*)"|filename=([^;\s]+)/i.exec(disposition);
  return plain?.[1] ?? plain?.[2] ?? null;
}

/**
 * Downloads a file with the headers of every request. `onProgress` receives the number of bytes read so far. Throws as
 * `request` does.
 */
export function fetchFile(
  path: string,
  options: RequestOptions & { readonly onProgress?: (bytes: number) => void },
): Promise<ReceivedFile> {
  const { onProgress, ...rest } = options;
  // The query names the format; a server that negotiates by Accept would refuse any other type.
  const headers = { ...rest.headers, Accept: '*/*' };
  return openRequest('GET', path, undefined, { ...rest, headers }, async (response) => {
    const parts: BlobPart[] = [];
    let bytes = 0;
    const reader = response.body?.getReader();
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      parts.push(read.value);
      bytes += read.value.byteLength;
      onProgress?.(bytes);
    }
    return {
      content: new Blob(parts, { type: response.headers.get('Content-Type') ?? '' }),
      name: fileNameOf(response.headers.get('Content-Disposition')),
    };
  });
}

/** Hands a file to the browser, which saves it as its downloads are saved. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Browsers read the URL after the click; a minute is ample for files of a few MB.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
