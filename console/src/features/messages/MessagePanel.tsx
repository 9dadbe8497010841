import { useQuery } from '@tanstack/react-query';
import { CheckCheck, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { Button, IconButton } from '#/ui/button';
import { Drawer } from '#/ui/drawer';
import { LinkButton } from '#/ui/link';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState, StateView } from '#/ui/states';
import { fetchMessages, markAllRead, messagesKey, noteUnread } from './api';
import { MessageItem } from './MessageItem';

/** Drawer at the right edge with the newest unread messages. */
export default function MessagePanel({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: [...messagesKey, 'unread'],
    queryFn: () => fetchMessages(0, false),
    staleTime: 0,
  });
  useEffect(() => {
    if (data) noteUnread(data.count);
  }, [data]);
  const markAll = async () => {
    setBusy(true);
    await markAllRead().catch(() => undefined);
    setBusy(false);
  };
  return (
    <Drawer title={t('messages:title')} isOpen onClose={onClose}>
      <header className="flex min-h-11 flex-none items-center gap-2 border-b border-line px-4">
        <h2 className="grow text-lead">{t('messages:title')}</h2>
        {data !== undefined && data.count > 0 && (
          <Button size="sm" icon={CheckCheck} busy={busy} onClick={markAll}>
            {t('messages:mark_all')}
          </Button>
        )}
        <IconButton icon={X} kind="text" label={t('ui:close')} onClick={onClose} />
      </header>
      <div className="min-h-0 grow overflow-y-auto px-4" aria-busy={!data && !error}>
        {error ? (
          <FailedState
            title={t('messages:failed')}
            message={explain(error)}
            requestId={requestIdOf(error)}
            onRetry={() => void refetch()}
          />
        ) : data ? (
          data.count === 0 ? (
            <StateView drawing="empty" title={t('messages:none_unread')} />
          ) : (
            <ul aria-label={t('messages:title')}>
              {data.results.map((message) => (
                <MessageItem key={message.id} message={message} />
              ))}
            </ul>
          )
        ) : (
          <SkeletonLines lines={5} />
        )}
      </div>
      <footer className="flex flex-none items-center justify-between gap-2 border-t border-line px-4 py-2">
        <span className="text-meta text-ink-3" role="status">
          {data !== undefined && data.count > data.results.length
            ? t('messages:shown', { shown: data.results.length, count: data.count })
            : ''}
        </span>
        {/* The drawer is modal, so following a link closes it. */}
        <span onClickCapture={onClose}>
          <LinkButton to={paths.messages} kind="text">
            {t('messages:all')}
          </LinkButton>
        </span>
      </footer>
    </Drawer>
  );
}
