import { useQuery } from '@tanstack/react-query';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { queryClient } from '#/lib/query';

const KEY = ['favorite-assets'];
type Favorite = Pick<Api<'FavoriteAsset'>, 'asset'>;

/** The ids of the person's favourite assets; undefined until they are known. */
export function useFavorites(): ReadonlySet<string> | undefined {
  const rows = useQuery({
    queryKey: KEY,
    queryFn: () => http.get<readonly Favorite[]>('assets/favorite-assets/', { quiet: true }),
  });
  return rows.data && new Set(rows.data.map(({ asset }) => asset));
}

/** Adds or removes a favourite. What is shown changes at once, and again if the server refuses. */
export async function setFavorite(asset: string, isFavorite: boolean): Promise<void> {
  queryClient.setQueryData<readonly Favorite[]>(KEY, (rows = []) => [
    ...rows.filter((row) => row.asset !== asset),
    ...(isFavorite ? [{ asset }] : []),
  ]);
  try {
    if (isFavorite) await http.post('assets/favorite-assets/', { asset });
    else await http.delete('assets/favorite-assets/', { query: { asset } });
  } finally {
    // The tree has a node of favourites with their number.
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: KEY }),
      queryClient.invalidateQueries({ queryKey: ['tree'] }),
    ]);
  }
}
