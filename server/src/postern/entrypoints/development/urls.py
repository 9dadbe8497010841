"""The routes of the product, and those for developers."""

from typing import Final

from django.urls import URLPattern, URLResolver, path

from postern.entrypoints import urls as product
from postern.entrypoints.development.message_gallery import MessageGalleryView

handler400 = product.handler400
handler403 = product.handler403
handler404 = product.handler404
handler500 = product.handler500

GALLERY: Final = "api/v1/development/messages/"

urlpatterns: list[URLPattern | URLResolver] = [
    path(GALLERY, MessageGalleryView.as_view(), name="message-gallery"),
    *product.urlpatterns,
]
