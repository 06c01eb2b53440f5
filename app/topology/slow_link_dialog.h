// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>

#include "backend/control/types/fault_types.h"

namespace divisi::topology {

/// Asks how to slow down a link: by a rate, a delay, or both.
class SlowLinkDialog : public QDialog {
    Q_OBJECT
public:
    /// `now` contains the link's ends and its current fault.
    explicit SlowLinkDialog(control::LinkFault now, QWidget* parent = nullptr);

    const control::LinkFault& fault() const { return fault_; }

private:
    void check();

    control::LinkFault fault_;
    QLineEdit *rate_, *delay_;
    QLabel* problem_;
    QDialogButtonBox* buttons_;
};

}  // namespace divisi::topology
