import { useState } from 'react';
import { hasUnusableStart } from '#/lib/clock-text';
import { useT } from '#/lib/i18n';
import { Note } from '#/ui/note';

/** Explains why the player begins at the start, when the link names a second that no recording has. */
export function StartNote() {
  const t = useT();
  const [isUnusable] = useState(() => hasUnusableStart(location.search));
  return isUnusable && <Note tone="warn">{t('sessions:replay.no_second')}</Note>;
}
