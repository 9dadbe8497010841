import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { QueryValues } from '#/lib/http/query-string';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { textOf } from '#/resource/format';
import { useOnline } from '#/resource/use-online';
import { Button } from '#/ui/button';
import { CreateAccountDialog } from './CreateAccountDialog';

/** Button above a list of accounts. Its query says which asset or system user the new account belongs to. */
export function CreateAccountButton({ query }: { readonly query: QueryValues }) {
  const t = useT();
  const isOnline = useOnline();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        icon={Plus}
        disabledReason={isOnline ? undefined : t('resource:offline.action')}
        onClick={() => setIsOpen(true)}
      >
        {t('account-changes:create.action')}
      </Button>
      {isOpen && (
        <CreateAccountDialog
          asset={textOf(query['asset'])}
          systemUser={textOf(query['systemuser'])}
          onDone={() => void queryClient.invalidateQueries({ queryKey: ['list'] })}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}
