import { useEffect, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import type { TextFile } from '../contract';
import { type FilesApi, problemCode } from '../files-api';

/** A text that is being read and edited. */
export interface OpenText {
  readonly file: TextFile | null;
  /** The text as it stands in the field. */
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly isChanged: boolean;
  readonly failure: string | null;
  /** Somebody else has changed the file meanwhile. */
  readonly isConflict: boolean;
  readonly isSaving: boolean;
  readonly read: () => Promise<void>;
  /** Saves over what is on the host. `force`: also over what somebody else has saved. True when it was saved. */
  readonly save: (force: boolean) => Promise<boolean>;
}

export function useTextFile(api: FilesApi | null, path: string): OpenText {
  const [file, setFile] = useState<TextFile | null>(null);
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  const [isConflict, setConflict] = useState(false);
  const [isSaving, setSaving] = useState(false);

  const read = async (): Promise<void> => {
    if (api === null) return;
    try {
      const found = await api.text(path);
      setFile(found);
      setText(found.text);
      setFailure(null);
      setConflict(false);
    } catch (error) {
      setFailure(explain(error));
    }
  };
  const save = async (force: boolean): Promise<boolean> => {
    if (api === null || file === null || isSaving) return false;
    setSaving(true);
    setFailure(null);
    try {
      const etag = force ? (await api.text(path)).etag : file.etag;
      await api.saveText(path, text, etag);
      return true;
    } catch (error) {
      if (problemCode(error) === 'changed') setConflict(true);
      else setFailure(explain(error));
      return false;
    } finally {
      setSaving(false);
    }
  };
  useEffect(() => {
    // The state changes only after the answer.
    // oxlint-disable-next-line react/set-state-in-effect
    void read();
    // It is read once, when the dialog opens; again only when the person asks.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [path]);
  const isChanged = file !== null && text !== file.text;
  return { file, text, setText, isChanged, failure, isConflict, isSaving, read, save };
}
