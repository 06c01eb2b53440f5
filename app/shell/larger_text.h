// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QPointer>
#include <QWidget>
#include <functional>
#include <vector>

class QHeaderView;

namespace divisi::shell {

/// All text of the program larger than usual for as long as this lives: its font, what style sheet and painted views
/// write, and the room that fixed heights, widths and rows of tables leave for it. Then all is as before.
class LargerText {
public:
    /// `window` has the views; `restyle` sets the style sheet anew, and outlives this as `window` does.
    LargerText(QWidget& window, double scale, std::function<void()> restyle);
    ~LargerText();
    LargerText(const LargerText&) = delete;
    LargerText& operator=(const LargerText&) = delete;

private:
    struct Fixed {
        QPointer<QWidget> widget;
        int width, height;  ///< before; 0: that one is not fixed
    };
    struct Rows {
        QPointer<QHeaderView> header;
        int height;  ///< before
    };

    void grow(QWidget& window, double scale);
    void write(double scale, const QFont& font);

    std::function<void()> restyle_;
    QFont font_;  ///< before
    std::vector<Fixed> fixed_;
    std::vector<Rows> rows_;
};

}  // namespace divisi::shell
