// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/basics/larger_text.h"

#include <QApplication>
#include <QHeaderView>
#include <cmath>
#include <utility>

#include "app/model/wording/text_scale.h"

namespace divisi::shell {

namespace {

QFont larger_font(QFont font, double scale) {
    if (font.pointSizeF() > 0) font.setPointSizeF(font.pointSizeF() * scale);
    else font.setPixelSize(static_cast<int>(std::lround(font.pixelSize() * scale)));
    return font;
}

}  // namespace

LargerText::LargerText(QWidget& window, double scale, std::function<void()> restyle)
    : restyle_(std::move(restyle)), font_(QApplication::font()) {
    write(scale, larger_font(font_, scale));
    grow(window, scale);
}

LargerText::~LargerText() {
    for (const Fixed& one : fixed_) {
        if (!one.widget) continue;
        if (one.width > 0) one.widget->setFixedWidth(one.width);
        if (one.height > 0) one.widget->setFixedHeight(one.height);
    }
    for (const Rows& one : rows_)
        if (one.header) one.header->setDefaultSectionSize(one.height);
    write(1, font_);
}

/// Applies a text scale and font. The change of the font also notifies painted views.
void LargerText::write(double scale, const QFont& font) {
    model::set_text_scale(scale);
    QApplication::setFont(font);
    restyle_();
}

void LargerText::grow(QWidget& window, double scale) {
    const auto grown = [scale](int size) { return static_cast<int>(std::lround(size * scale)); };
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        if (widget->isWindow()) continue;
        const auto fixed = [](int least, int most) { return least == most ? most : 0; };
        const Fixed one{widget, fixed(widget->minimumWidth(), widget->maximumWidth()),
                        fixed(widget->minimumHeight(), widget->maximumHeight())};
        if (one.width > 0) widget->setFixedWidth(grown(one.width));
        if (one.height > 0) widget->setFixedHeight(grown(one.height));
        if (one.width > 0 || one.height > 0) fixed_.push_back(one);
        auto* header = qobject_cast<QHeaderView*>(widget);
        if (!header || header->orientation() != Qt::Vertical) continue;
        rows_.push_back({header, header->defaultSectionSize()});
        header->setDefaultSectionSize(grown(header->defaultSectionSize()));
    }
}

}  // namespace divisi::shell
