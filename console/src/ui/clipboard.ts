import { translate } from '#/lib/i18n';
import { toast } from './toast';

/** The old way, which also works over plain http; needs a key press or click under way. */
function copyBySelection(text: string): boolean {
  const previous = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'fixed top-0 left-0 size-px opacity-0';
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  if (previous instanceof HTMLElement) previous.focus({ preventScroll: true });
  return isDone;
}

/** Copies and says so. Should the browser refuse altogether, that is said as well. */
export async function copyText(text: string): Promise<void> {
  let isDone = false;
  try {
    await navigator.clipboard.writeText(text);
    isDone = true;
  } catch {
    isDone = copyBySelection(text);
  }
  if (isDone) toast({ tone: 'ok', text: translate('ui:copied') });
  else toast({ tone: 'error', text: translate('ui:copy_refused') });
}
