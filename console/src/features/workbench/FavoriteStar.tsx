import { type LucideProps, Star } from 'lucide-react';
import { forwardRef } from 'react';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';
import { setFavorite, useFavorites } from './favorites';

const Filled = forwardRef<SVGSVGElement, LucideProps>((props, ref) => (
  <Star {...props} ref={ref} fill="currentColor" />
));
Filled.displayName = 'FilledStar';

/** The star of an asset: favourites come together in a node of the tree. */
export function FavoriteStar({ id, name }: { readonly id: string; readonly name: string }) {
  const t = useT();
  const isFavorite = useFavorites()?.has(id) === true;
  return (
    <IconButton
      kind="text"
      size="sm"
      icon={isFavorite ? Filled : Star}
      label={t('workbench:favorite', { name })}
      aria-pressed={isFavorite}
      onClick={() => void setFavorite(id, !isFavorite)}
    />
  );
}
