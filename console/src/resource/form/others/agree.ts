import { loadNamespaces, translate } from '#/lib/i18n';
import type { FormValues } from '../../define';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';
import { changesOfOthers, type Versions } from './changes';

/** Longest value that is shown in a question, in characters. */
const MAX_SHOWN = 80;

function shown(label: string, value: unknown): string {
  const isShort = (typeof value === 'string' || typeof value === 'number') && `${value}`.length <= MAX_SHOWN;
  return isShort && value !== '' ? `${label}: ${value}` : label;
}

/**
 * What a form may save although others changed the object since it was opened: fields that only others changed keep
 * their value. Fields that both changed are asked about; null when the person goes back.
 */
export async function agreed(
  names: readonly string[],
  versions: Versions,
  labelOf: (name: string) => string,
): Promise<FormValues | null> {
  const { untouched, both } = changesOfOthers(names, versions);
  if (untouched.length === 0 && both.length === 0) return {};
  await loadNamespaces(['others']);
  if (both.length > 0) {
    const isMine = await confirm({
      title: translate('others:question'),
      effect: translate('others:effect'),
      names: both.map((name) => shown(labelOf(name), versions.stored[name])),
      confirmLabel: translate('others:replace'),
      cancelLabel: translate('others:back'),
      danger: true,
    });
    if (!isMine) return null;
  }
  if (untouched.length > 0)
    toast({ tone: 'info', text: translate('others:kept', { fields: untouched.map(labelOf).join(', ') }) });
  return Object.fromEntries(untouched.map((name) => [name, versions.stored[name]]));
}
