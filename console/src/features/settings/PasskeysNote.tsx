import { useQuery } from '@tanstack/react-query';
import { useT } from '#/lib/i18n';
import { fetchInUse } from '#/domain/passkeys/api';
import { Note } from '#/ui/note';

function hostOf(address: unknown): string | null {
  try {
    return new URL(String(address)).hostname;
  } catch {
    return null; // not an address yet
  }
}

/** Beside a new address of the console: how many passkeys another host name voids. */
export default function PasskeysNote({ address }: { readonly address: unknown }) {
  const t = useT();
  const { data } = useQuery({ queryKey: ['passkeys-in-use'], queryFn: fetchInUse, staleTime: 0 });
  const host = hostOf(address);
  if (data === undefined || data.number === 0 || host === null || host === data.host) return null;
  return (
    <div className="mt-1 sm:pl-36">
      <Note tone="warn" announce>
        {t('passkeys:voids', { count: data.number, host: data.host })}
      </Note>
    </div>
  );
}
