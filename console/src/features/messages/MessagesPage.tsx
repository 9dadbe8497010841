import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { CheckCheck, RefreshCw, Send } from 'lucide-react';
import { useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useSession } from '#/lib/session';
import { Button, IconButton } from '#/ui/button';
import { Card } from '#/ui/card';
import { RadioGroup } from '#/ui/choice';
import { PageHeader } from '#/ui/page';
import { Pager } from '#/ui/pager';
import { ProgressLine, SkeletonLines } from '#/ui/skeleton';
import { FailedState, StateView } from '#/ui/states';
import { Count } from '#/ui/status';
import { fetchMessages, markAllRead, messagesKey, PAGE_SIZE, useUnread } from './api';
import { MessageItem } from './MessageItem';
import { SendDialog } from './SendDialog';

type Show = 'all' | 'unread' | 'read';
const HAS_READ: Record<Show, boolean | undefined> = { all: undefined, unread: false, read: true };

function showOf(text: string | undefined): Show {
  return text === 'unread' || text === 'read' ? text : 'all';
}

/** Opens the dialog in which super administrators write a message; nothing for others. */
function SendButton() {
  const t = useT();
  const { profile } = useSession();
  const [isOpen, setOpen] = useState(false);
  if (!profile.is_superuser) return null;
  return (
    <>
      <Button icon={Send} onClick={() => setOpen(true)}>
        {t('messages:send.title')}
      </Button>
      {isOpen && <SendDialog onClose={() => setOpen(false)} />}
    </>
  );
}

/** All messages of this person, newest first. */
export function MessagesPage() {
  const t = useT();
  const navigate = useNavigate();
  const address: { show?: string; page?: string } = useSearch({ strict: false });
  const show = showOf(address.show);
  const page = Math.max(1, Math.trunc(Number(address.page ?? 1)) || 1);
  const unread = useUnread((state) => state.count) ?? 0;
  const [busy, setBusy] = useState(false);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [...messagesKey, show, page],
    queryFn: () => fetchMessages((page - 1) * PAGE_SIZE, HAS_READ[show]),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const go = (next: { show: Show; page: number }) =>
    void navigate({
      to: paths.messages,
      search: {
        ...(next.show === 'all' ? {} : { show: next.show }),
        ...(next.page > 1 ? { page: String(next.page) } : {}),
      },
      replace: true,
    });
  const markAll = async () => {
    setBusy(true);
    await markAllRead().catch(() => undefined);
    setBusy(false);
  };
  const body = () => {
    if (error && !data)
      return (
        <FailedState
          title={t('messages:failed')}
          message={explain(error)}
          requestId={requestIdOf(error)}
          onRetry={() => void refetch()}
        />
      );
    if (!data) return <SkeletonLines lines={6} />;
    if (data.results.length === 0)
      return (
        <StateView
          drawing={show === 'all' ? 'empty' : 'no-match'}
          title={t(show === 'unread' ? 'messages:none_unread' : 'messages:none')}
        />
      );
    return (
      <ul aria-label={t('messages:title')} className="px-3.5">
        {data.results.map((message) => (
          <MessageItem key={message.id} message={message} />
        ))}
      </ul>
    );
  };
  // i18n: messages:show.*
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <PageHeader
        title={t('nav:messages')}
        aside={data ? <Count>{data.count}</Count> : undefined}
        actions={
          <>
            <IconButton icon={RefreshCw} label={t('messages:refresh')} onClick={() => void refetch()} />
            <Button icon={CheckCheck} busy={busy} disabled={unread === 0} onClick={markAll}>
              {t('messages:mark_all')}
            </Button>
            <SendButton />
          </>
        }
      />
      <div role="group" aria-label={t('messages:filter')}>
        <RadioGroup
          name="show"
          value={show}
          options={(['all', 'unread', 'read'] as const).map((value) => ({
            value,
            label: t(`messages:show.${value}`),
          }))}
          onChange={(value) => go({ show: showOf(value), page: 1 })}
        />
      </div>
      <Card flush>
        <ProgressLine busy={isFetching && data !== undefined} />
        {body()}
        {data !== undefined && data.count > PAGE_SIZE && (
          <Pager
            count={data.count}
            page={page}
            size={PAGE_SIZE}
            sizes={[PAGE_SIZE]}
            onPage={(next) => go({ show, page: next })}
            onSize={() => undefined}
          />
        )}
      </Card>
    </div>
  );
}
