import { useT } from '#/lib/i18n';

/** Says to screen readers what the label of the button shows: the browser is being checked. It takes no room. */
export function CheckingStatus({ checking }: { readonly checking: boolean }) {
  const t = useT();
  return (
    <p role="status" className="sr-only">
      {checking && t('signin:puzzle.checking')}
    </p>
  );
}
