// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace divisi::shell {

/// What this program is: its version, the licences of its parts and of the libraries that it uses.
class AboutDialog : public QDialog {
    Q_OBJECT
public:
    explicit AboutDialog(QWidget* parent);
};

}  // namespace divisi::shell
