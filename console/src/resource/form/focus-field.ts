const FOCUSABLE =
  'input:not(:disabled), button:not(:disabled), select:not(:disabled), textarea:not(:disabled)';

/** Moves the focus to the control of a field, whatever its kind. Returns false when the field is not on the page. */
export function focusField(name: string): boolean {
  const control = document.getElementById(`field-${name}`);
  const group = document.getElementById(`field-${name}-label`)?.parentElement;
  const target = control?.matches(FOCUSABLE)
    ? control
    : (control ?? group)?.querySelector<HTMLElement>(FOCUSABLE);
  if (!target) return false;
  target.scrollIntoView({ block: 'center' });
  target.focus({ preventScroll: true });
  return true;
}
