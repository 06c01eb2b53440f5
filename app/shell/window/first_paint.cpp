// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/window/first_paint.h"

#include <time.h>
#include <unistd.h>

#include <QEvent>
#include <QFile>
#include <QWidget>
#include <utility>

namespace divisi::shell {

FirstPaint::FirstPaint(QWidget& window, std::function<void()> painted)
    : QObject(&window), painted_(std::move(painted)) {
    window.installEventFilter(this);
}

/// Calls the callback after the paint event, because the window and its widgets are painted within a single event.
bool FirstPaint::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Paint) {
        watched->removeEventFilter(this);
        QMetaObject::invokeMethod(
            this, [this] { painted_(); }, Qt::QueuedConnection);
    }
    return QObject::eventFilter(watched, event);
}

/// Returns the age of this process. In proc(5), field 22 is the start time in ticks since boot. An earlier field is the
/// process name, which may contain any character but is enclosed in parentheses.
double process_age_ms() {
    QFile file(QStringLiteral("/proc/self/stat"));
    if (!file.open(QIODevice::ReadOnly)) return -1;
    const QByteArray line = file.readAll();
    const QList<QByteArray> fields = line.mid(line.lastIndexOf(')') + 1).simplified().split(' ');
    timespec now{};
    if (fields.size() < 20 || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return -1;
    const double began = fields[19].toDouble() / static_cast<double>(::sysconf(_SC_CLK_TCK));
    return 1e3 * (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9 - began);
}

}  // namespace divisi::shell

#include "moc_first_paint.cpp"
