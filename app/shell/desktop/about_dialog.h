// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace divisi::shell {

/// Shows information about this program: its version, and the licences of its parts and of its libraries.
class AboutDialog : public QDialog {
    Q_OBJECT
public:
    explicit AboutDialog(QWidget* parent);
};

}  // namespace divisi::shell
