import type { LocalItem } from './queue';

/** Files that were chosen in the browser's dialog; those of a folder carry their path below it. */
export function chosenItems(files: Iterable<File>): readonly LocalItem[] {
  return [...files].map((file) => ({ folders: file.webkitRelativePath.split('/').slice(0, -1), file }));
}

function readSome(reader: FileSystemDirectoryReader): Promise<readonly FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

/** One call gives at most a hundred entries, an empty answer is the end. */
async function readAll(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (let some = await readSome(reader); some.length > 0; some = await readSome(reader)) all.push(...some);
  return all;
}

async function itemsOf(entry: FileSystemEntry, folders: readonly string[]): Promise<readonly LocalItem[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ folders, file }];
  }
  const inside = [...folders, entry.name];
  const entries = await readAll(entry as FileSystemDirectoryEntry);
  if (entries.length === 0) return [{ folders: inside, file: null }];
  const items: LocalItem[] = [];
  for (const below of entries) items.push(...(await itemsOf(below, inside)));
  return items;
}

/** Files and folders that were dropped. To be called while the drop is handled: the browser forgets them afterwards. */
export function droppedItems(data: DataTransfer): Promise<readonly LocalItem[]> {
  const dropped = [...data.items]
    .filter((item) => item.kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const read = async (): Promise<readonly LocalItem[]> => {
    const items: LocalItem[] = [];
    for (const { entry, file } of dropped) {
      if (entry) items.push(...(await itemsOf(entry, [])));
      else if (file) items.push({ folders: [], file });
    }
    return items;
  };
  return read();
}
