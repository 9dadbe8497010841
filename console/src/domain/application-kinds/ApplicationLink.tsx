import { useQuery } from '@tanstack/react-query';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { AppLink } from '#/ui/link';
import { VisibleText } from '#/ui/visible-text';
import { applicationPath } from './kinds';

/**
 * The name of an application with a link to its page. Where only id and name are known the category, which is part of
 * the address, is read; until then, and for an application that no longer exists, there is the name alone.
 */
export function ApplicationLink({ id, name }: { readonly id: string; readonly name: string }) {
  const { data } = useQuery({
    queryKey: ['application-category', id],
    queryFn: ({ signal }) =>
      http.get<Pick<Api<'Application'>, 'category'>>(`applications/applications/${id}/`, {
        query: { fields_size: 'small' },
        quiet: true,
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY, // the category never changes
    retry: false,
  });
  if (data === undefined) return <VisibleText text={name} />;
  return (
    <AppLink to={applicationPath({ id, category: data.category })}>
      <VisibleText text={name} />
    </AppLink>
  );
}
