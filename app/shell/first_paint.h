// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

class QWidget;

namespace divisi::shell {

/// Calls back once, when all of a window that was shown has been painted for the first time.
class FirstPaint : public QObject {
    Q_OBJECT
public:
    /// Ends with the window.
    FirstPaint(QWidget& window, std::function<void()> painted);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    std::function<void()> painted_;
};

/// Milliseconds since this process was started, in steps of 10; negative where the system does not say.
double process_age_ms();

}  // namespace divisi::shell
