import { translate } from '#/lib/i18n';
import { toast } from './toast';

/** Fallback that also works over plain http; must run during a key press or click. */
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

/** Copies the text and shows a toast: success, or that the browser refused. */
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
