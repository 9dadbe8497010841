import { useNavigate, useSearch } from '@tanstack/react-router';
import { browserLocation } from '#/lib/browser-location';
import { safeNext } from '#/lib/safe-next';

/**
 * The dialog that the address asks for (`?dialog=mfa-enable&next=…`); older pages of the server link here. Returns the
 * action after the name, and a function to call when the dialog closes: it removes the parameters from the address, or
 * goes to `next` after a change.
 */
export function useWantedDialog(name: string): readonly [string | null, (changed: boolean) => void] {
  const { dialog, next }: { dialog?: string; next?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const wanted = dialog?.startsWith(`${name}-`) === true ? dialog.slice(name.length + 1) : null;
  const leave = (changed: boolean) => {
    if (wanted === null) return;
    const target = safeNext(next ?? null);
    if (changed && target !== null) {
      browserLocation.assign(target);
      return;
    }
    void navigate({
      to: '.',
      search: ({ dialog: _dialog, next: _next, ...rest }: Record<string, string>) => rest,
      replace: true,
    });
  };
  return [wanted, leave];
}
