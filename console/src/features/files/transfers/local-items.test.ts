import { expect, test } from 'vitest';
import { chosenItems, droppedItems } from './local-items';

interface Node {
  readonly name: string;
  readonly isFile: boolean;
  file?: (done: (file: File) => void) => void;
  createReader?: () => { readEntries: (done: (entries: readonly Node[]) => void) => void };
}

const file = (name: string): Node => ({ name, isFile: true, file: (done) => done(new File([name], name)) });

/** A folder whose reader gives at most a hundred entries a call, as browsers do. */
function folder(name: string, entries: readonly Node[]): Node {
  const createReader = () => {
    let at = 0;
    return {
      readEntries: (done: (entries: readonly Node[]) => void) => {
        const some = entries.slice(at, at + 100);
        at += some.length;
        done(some);
      },
    };
  };
  return { name, isFile: false, createReader };
}

function dropOf(...nodes: Node[]): { readonly data: DataTransfer; readonly forget: () => void } {
  let isOver = false;
  const items = nodes.map((node) => ({
    kind: 'file',
    webkitGetAsEntry: () => (isOver ? null : node),
    getAsFile: () => null,
  }));
  const forget = (): void => {
    isOver = true;
  };
  return { data: { items } as unknown as DataTransfer, forget };
}

test('folders are read to their end, and what was dropped is asked for at once', async () => {
  const many = Array.from({ length: 230 }, (_, at) => file(`f${at}`));
  const { data, forget } = dropOf(folder('logs', [...many, folder('old', [])]), file('a.txt'));
  const reading = droppedItems(data);
  forget();
  const items = await reading;
  expect(items).toHaveLength(232);
  expect(items[229]).toMatchObject({ folders: ['logs'], file: { name: 'f229' } });
  expect(items[230]).toEqual({ folders: ['logs', 'old'], file: null });
  expect(items[231]).toMatchObject({ folders: [], file: { name: 'a.txt' } });
});

test('files of a chosen folder know the folders that they lie in', () => {
  const chosen = new File(['x'], 'x');
  Object.defineProperty(chosen, 'webkitRelativePath', { value: 'site/css/x' });
  const alone = new File(['y'], 'y');
  Object.defineProperty(alone, 'webkitRelativePath', { value: '' });
  expect(chosenItems([chosen, alone]).map(({ folders }) => folders)).toEqual([['site', 'css'], []]);
});
