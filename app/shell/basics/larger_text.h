// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QPointer>
#include <QWidget>
#include <functional>
#include <vector>

class QHeaderView;

namespace divisi::shell {

/// Enlarges all text of the program while this object lives. Changes the font, the text of style sheets and painted
/// views, and the fixed heights, widths and table rows that contain text. The destructor restores everything.
class LargerText {
public:
    /// `window` contains the views. `restyle` reapplies the style sheet. `window` and the objects that `restyle` uses
    /// must outlive this object.
    LargerText(QWidget& window, double scale, std::function<void()> restyle);
    ~LargerText();
    LargerText(const LargerText&) = delete;
    LargerText& operator=(const LargerText&) = delete;

private:
    struct Fixed {
        QPointer<QWidget> widget;
        int width, height;  ///< original width and height; 0: this size is not fixed
    };
    struct Rows {
        QPointer<QHeaderView> header;
        int height;  ///< original height
    };

    void grow(QWidget& window, double scale);
    void write(double scale, const QFont& font);

    std::function<void()> restyle_;
    QFont font_;  ///< original font
    std::vector<Fixed> fixed_;
    std::vector<Rows> rows_;
};

}  // namespace divisi::shell
