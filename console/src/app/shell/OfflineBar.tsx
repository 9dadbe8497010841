import { WifiOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { useT } from '#/lib/i18n';

function subscribe(onChange: () => void): () => void {
  window.addEventListener('online', onChange);
  window.addEventListener('offline', onChange);
  return () => {
    window.removeEventListener('online', onChange);
    window.removeEventListener('offline', onChange);
  };
}

/** A thin bar, shown while the browser has no network. */
export function OfflineBar() {
  const t = useT();
  const online = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status">
      {!online && (
        <p className="flex items-center gap-2 border-b border-warn-line bg-warn-soft px-4 py-1 text-warn">
          <WifiOff aria-hidden />
          {t('app:offline')}
        </p>
      )}
    </div>
  );
}
