// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>

class QWidget;

namespace divisi::shell {

/// Calls a function once, when a window has been painted completely for the first time.
class FirstPaint : public QObject {
    Q_OBJECT
public:
    /// `window` owns this object.
    FirstPaint(QWidget& window, std::function<void()> painted);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    std::function<void()> painted_;
};

/// Returns the milliseconds since this process started, in steps of 10; negative if the system does not provide the
/// time.
double process_age_ms();

}  // namespace divisi::shell
