import { Note } from '#/ui/note';
import type { Result } from './use-attempt';

export function ResultNote({ result }: { readonly result: Result | null }) {
  if (!result) return null;
  return (
    <Note tone={result.isOk ? 'ok' : 'danger'} announce>
      <span className="[overflow-wrap:anywhere]">{result.text}</span>
    </Note>
  );
}
