/**
 * Reads lines of JSON while they arrive; `onLines` gets those of each piece of the answer. The last line counts also
 * without a line end.
 */
export async function readLines(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  onLines: (lines: readonly object[]) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let rest = '';
  const take = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    const read = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as object);
    if (read.length > 0) onLines(read);
  };
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read())
    take(decoder.decode(read.value, { stream: true }));
  take(`${decoder.decode()}\n`);
}
