import { useT } from '#/lib/i18n';
import { Checkbox } from '#/ui/choice';

/** Offers to trust this browser, while an administrator allows it. */
export function TrustBox({
  days,
  checked,
  onChange,
}: {
  readonly days: number;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  const t = useT();
  if (days === 0) return null;
  return (
    <div>
      <Checkbox checked={checked} onChange={(event) => onChange(event.target.checked)}>
        {t('passkeys:trust', { count: days })}
      </Checkbox>
      <p className="mt-1 text-meta text-ink-3">{t('passkeys:trust_why')}</p>
    </div>
  );
}
